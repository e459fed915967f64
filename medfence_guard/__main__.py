"""`python -m medfence_guard` is the command line."""

import sys

from medfence_guard.cli import main

sys.exit(main())
