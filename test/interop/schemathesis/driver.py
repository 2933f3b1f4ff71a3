"""Runs schemathesis with all its checks against the OpenAPI document of the exchange.

`findings.json` lists what it reports and what stays as it is, each with a reason. Any other finding
fails the run. The first argument is `user` or `operator`: who sends the requests.
"""

import base64
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import requests

ROLE = sys.argv[1]
HERE = Path(__file__).parent
FOLDER = Path.cwd() / ROLE
IS_FULL = os.environ.get("INTEROP_FULL") == "1"
MINUTE_S = 60
BUDGET_S = 15 * MINUTE_S if IS_FULL else 75
KNOWN = json.loads((HERE / "findings.json").read_text())
PATHS = {"user": ["--exclude-path-regex", "^/admin"], "operator": ["--include-path-regex", "^/admin"]}
SHOWN_MAX = 40


def env(name: str) -> str:
    return os.environ["INTEROP_" + name]


def config() -> str:
    """Names of what is there, so that valid requests find something."""
    values = {
        "slug": [env("MARKET"), env("GROUP_CHILD"), env("POOL"), env("ENDED"), env("QUIET")],
        "addressOrSlug": [env("MARKET"), env("GROUP"), env("POOL_ADDRESS")],
        "account": [env("USER_ACCOUNT"), env("PARTNER_ACCOUNT")],
        "profileId": [int(env("PARTNER_PROFILE"))],
    }
    lines = []
    for name, known in values.items():
        lines.append(f"[dictionaries.{name}]\nvalues = {json.dumps(known)}")
    lines.append("[parameters]")
    for name in values:
        binding = f'{{ dictionary = "{name}", probability = 0.6 }}'
        lines.append(f'"path.{name}" = {binding}')
    return "\n".join(lines) + "\n"


def run() -> Path:
    FOLDER.mkdir()
    (FOLDER / "schemathesis.toml").write_text(config())
    report = FOLDER / "report.ndjson"
    phases = "examples,coverage,fuzzing,stateful" if IS_FULL else "examples,coverage"
    command = [
        *[str(Path(sys.executable).parent / "st"), "run", env("URL") + "/openapi.json"],
        *["--checks", "all", "--phases", phases, "--max-examples", "30", "--seed", "1"],
        *["--max-time", str(BUDGET_S), "--continue-on-failure", "--suppress-health-check", "all"],
        *["--report", "ndjson", "--report-ndjson-path", str(report)],
        *["--output-sanitize", "false", *PATHS[ROLE]],
    ]
    for row in KNOWN["excluded"]:
        command += ["--exclude-name", row["operation"]]
    own = {"INTEROP_ROLE": ROLE, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE)}
    with open(FOLDER / "output.txt", "w") as output:
        done = subprocess.run(command, cwd=FOLDER, env={**os.environ, **own}, stdout=output)
    text = (FOLDER / "output.txt").read_text()
    assert done.returncode in (0, 1), text[-4000:]
    summary = text[text.rfind("= SUMMARY =") :]
    print("\n".join(line for line in summary.splitlines() if re.search("ested:|generated", line)))
    return report


def text_of(message: object) -> str:
    content = (message or {}).get("content") or (message or {}).get("body") or {}
    data = content.get("$base64") if isinstance(content, dict) else None
    return base64.b64decode(data).decode("utf8", "replace") if data else ""


def findings(report: Path):
    for line in report.open():
        if '"failure"' not in line:
            continue
        event = json.loads(line)
        if "ScenarioFinished" not in event:
            continue
        recorder = event["ScenarioFinished"]["recorder"]
        for case, checks in recorder["checks"].items():
            for check in checks:
                if check["status"] == "failure":
                    yield finding(check, recorder["cases"][case], recorder["interactions"].get(case))


def finding(check, case, interaction) -> dict:
    request = (interaction or {}).get("request") or {}
    response = (interaction or {}).get("response") or {}
    body = text_of(response)
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    code = parsed.get("code") if isinstance(parsed, dict) else None
    failure = check["failure_info"]["failure"]
    phase = ((case["value"].get("meta") or {}).get("phase") or {}).get("data") or {}
    return {
        "check": check["name"],
        "operation": failure["operation"],
        "status": str(response.get("status_code")),
        "code": str(code),
        "body": body[:2000],
        "sent": f"{request.get('method')} {request.get('uri')} {text_of(request)}"[:4000],
        "message": failure["message"],
        "scenario": json.dumps(phase),
    }


def reason_for(found: dict, used: Counter) -> str | None:
    """The reason of the first row whose patterns all match."""
    for index, row in enumerate(KNOWN["accepted"]):
        patterns = {key: value for key, value in row.items() if key != "reason"}
        if all(re.search(pattern, found[key]) for key, pattern in patterns.items()):
            used[index] += 1
            return row["reason"]
    return None


def main() -> None:
    report = run()
    used: Counter = Counter()
    unknown: dict = {}
    for found in findings(report):
        if reason_for(found, used) is None:
            unknown.setdefault((found["check"], found["operation"], found["code"]), found)
    for index, count in sorted(used.items()):
        print(f"{count} findings accepted: {KNOWN['accepted'][index]['reason']}")
    for found in list(unknown.values())[:SHOWN_MAX]:
        print("\n".join(f"{key}: {text[:800]}" for key, text in found.items()) + "\n")
    assert not unknown, f"{len(unknown)} findings have no reason in findings.json"
    if ROLE == "operator":
        token = {"authorization": "Bearer " + env("ADMIN_TOKEN")}
        assert requests.get(env("URL") + "/admin/markets", headers=token).status_code == 200
    print("ok " + ROLE)


main()
