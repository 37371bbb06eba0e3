"""The office's process: hears of work, claims it, launches it, and says how it ended."""
