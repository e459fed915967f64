"""How one component of a value is compared with the item's own statement, whatever field it stands in."""
