"""Reads a table by its map: the map and the table, CSV, TSV or JSON Lines."""
import csv
import json
import sys

mapping = json.load(open(sys.argv[1], encoding="utf-8"))
text = open(sys.argv[2], encoding="utf-8-sig", newline="").read()
if text.lstrip().startswith("{"):
    rows = [json.loads(x, parse_float=str, parse_int=str) for x in text.splitlines() if x.strip()]
else:
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t" if "\t" in text.splitlines()[0] else ","))
for row in rows:
    get = lambda field: (row.get(mapping[field]) or "").strip() if field in mapping else mapping.get("constants", {}).get(field, "")
    try:
        value = float(get("value"))
    except ValueError:
        continue
    evidence = f"table:{get('model')}#{get('key')}/{get('task')}/{get('date')}"
    print(evidence, "", get("key"), get("unit"), value, sep="\t")
    if get("n"):
        print(evidence, "", get("key") + ".n", "", get("n"), sep="\t")
