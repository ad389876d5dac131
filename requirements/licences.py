"""Prints the licences of what set-up installed: ./alps licences. Python packages say theirs in their metadata, Debian packages (named as
arguments) in /usr/share/doc/NAME/copyright."""
import importlib.metadata
import pathlib
import re
import sys


def of_python(metadata):
    """the expression, else the classifiers, else the first line of the free text"""
    if expression := metadata.get("License-Expression"):
        return expression
    classifiers = [c.split(" :: ")[-1] for c in metadata.get_all("Classifier") or [] if c.startswith("License ::")]
    text = (metadata.get("License") or "").strip().splitlines()
    return ", ".join(classifiers) or (text[0][:80] if text else "") or ", ".join(metadata.get_all("License-File") or []) or "not said"


def of_debian(package):
    file = pathlib.Path("/usr/share/doc") / package / "copyright"
    if not file.exists():
        return None
    text = file.read_text(errors="replace")
    names = [m.strip() for m in re.findall(r"^License:[ \t]*(\S.*)$", text, re.M)]
    common = re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text)
    return ", ".join(dict.fromkeys(names or common)) or f"see {file}"


def main():
    print("# Python packages")
    rows = {}
    for found in importlib.metadata.distributions():
        rows[found.metadata["Name"].lower()] = (found.metadata["Name"], found.version, of_python(found.metadata))
    for _, row in sorted(rows.items()):
        print("{:24} {:14} {}".format(*row))
    print("\n# Debian packages that were asked for (what they need in turn: /usr/share/doc/*/copyright)")
    for package in sorted(set(sys.argv[1:])):
        if (licence := of_debian(package)) is not None:
            print(f"{package:24} {licence}")


if __name__ == "__main__":
    main()
