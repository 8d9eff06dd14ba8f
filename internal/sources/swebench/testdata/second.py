"""Reads the leaderboards of SWE-bench."""
import json
import re
import sys

TASKS = {"test": 2294, "verified": 500, "lite": 300, "multimodal": 517, "multilingual": 300, "bash-only": 500}

for board in json.load(open(sys.argv[1], encoding="utf-8"))["leaderboards"]:
    name = board["name"].lower()
    for row in board["results"]:
        if name not in TASKS:
            continue
        values = {"resolved": (row["resolved"], "percent"), "tasks": (TASKS[name], "tasks")}
        for cost in ("cost", "instance_cost"):
            if row.get(cost):
                values[cost] = (row[cost], "USD")
        for key, names in {"checked": ("checked", "verified"), "open_model": ("os_model",), "open_system": ("os_system", "oss")}.items():
            for flag in names:
                if isinstance(row.get(flag), bool):
                    values[key] = (str(row[flag]).lower(), "")
                    break
        for key, (value, unit) in values.items():
            print(f"swe-bench:{name}/{row['folder']}", "", f"swe-bench.{name}.{key}", unit, value, sep="\t")
