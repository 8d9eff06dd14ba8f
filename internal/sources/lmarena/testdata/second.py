"""Reads a leaderboard of LMArena: arena, style control, time and file."""
import json
import sys

arena, style, at, name = sys.argv[1:]
condition = "style_control=" + style if style else ""
for category, models in json.load(open(name, encoding="utf-8")).items():
    for model, place in models.items():
        cell = category + ("+style-control" if style == "on" else "")
        evidence = f"lmarena:{model}#{arena}.{cell}@{at}"
        board = arena + ("-style-control" if style == "on" else "")
        key = f"lmarena.{board}.{category}.rating"
        values = {"": place["rating"]}
        low, high = place.get("rating_q025"), place.get("rating_q975")
        if low is not None and high is not None and low <= place["rating"] <= high and low < high:
            values.update({".low": low, ".high": high, ".stderr": (high - low) / (2 * 1.959963984540054)})
        for end, value in values.items():
            print(evidence, condition, key + end, "points", repr(value), sep="\t")
