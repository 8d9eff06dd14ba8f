"""Asks svc serve which model to take, with Python's standard library alone.

    svc serve --catalog catalog.json &
    python3 examples/clients/client.py http://127.0.0.1:4244
"""

import json
import sys
import urllib.error
import urllib.request

REQUEST = {
    "schemaVersion": "service.rank.request/v3",
    "inventory": [
        {"id": "gpt-5", "model": {"id": "openai/gpt-5"}, "execution": {"runtime": {"id": "openrouter"}}},
        {"id": "grok-4", "model": {"id": "x-ai/grok-4"}, "execution": {"runtime": {"id": "openrouter"}}},
    ],
    "preferences": [
        {
            "measurementKey": "aider.polyglot.pass_rate_2",
            "aggregation": "mean",
            "transfer": ["execution"],
            "resolve": ["newest"],
            "direction": "maximize",
            "weight": 1,
        },
    ],
}


def ask(url, body=None):
    """Returns the document that the server answers with."""
    data = None if body is None else json.dumps(body).encode()
    question = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(question, timeout=30) as answer:
        return json.load(answer)


def main(url):
    models = ask(url + "/v1/models")
    print(f"{len(models['models'])} models as of {models['catalog']['asOf']}")
    try:
        result = ask(url + "/v1/rank", REQUEST)
    except urllib.error.HTTPError as failure:
        error = json.load(failure)["error"]
        sys.exit(f"{error['code']}: {error['message']}")
    for candidate in result["ranked"]:
        print(f"{candidate['rank']} {candidate['candidateId']}: {candidate['score']} of {result['scoreScale']['maximum']}")
    for candidate in result["excluded"]:
        codes = ", ".join(reason["code"] for reason in candidate["reasons"])
        print(f"excluded: {candidate['candidateId']}, {codes}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:4244")
