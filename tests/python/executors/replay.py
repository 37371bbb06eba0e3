"""A program that says what an agent program was recorded to say: FOLDER STREAM… [arguments of the engine].

Its nth call replays the nth stream, the last one again and again. Each call becomes a line of FOLDER/calls.
A stream has lines that begin with out, err, or exit; without an exit it goes on until it is stopped.
"""

import json
import pathlib
import signal
import sys


def main() -> None:
    folder, words = pathlib.Path(sys.argv[1]), sys.argv[2:]
    end = next((place for place, word in enumerate(words) if not word.endswith(".txt")), len(words))
    calls = folder / "calls"
    before = len(calls.read_text().splitlines()) if calls.exists() else 0
    with calls.open("a") as file:
        file.write(json.dumps({"arguments": words[end:], "prompt": sys.stdin.read()}) + "\n")
    stream = pathlib.Path(words[min(before, end - 1)])
    for line in stream.read_text().splitlines():
        where, _, text = line.partition(" ")
        if where == "exit":
            sys.exit(int(text))
        print(text, file=sys.stderr if where == "err" else sys.stdout, flush=True)
    signal.pause()


main()
