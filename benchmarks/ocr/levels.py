"""What the noise levels of the OCR benchmark are called."""

LEVEL_NAMES = {
    "T0": "typed text",
    "D0": "clean print",
    "D1": "slight skew and grain",
    "D2": "skew, stamp, JPEG",
    "D3": "half the resolution",
    "D4": "photograph, poor light",
    "D5": "fax of a copy",
    "H": "handwriting-like fonts",
}
