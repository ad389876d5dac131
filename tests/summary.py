"""Adds up JUnit reports into the last line of ./alps test: `N passed, M failed`; exit code 1 unless all passed."""
import sys
import xml.etree.ElementTree as ET

passed = failed = skipped = 0
for path in sys.argv[1:]:
    for case in ET.parse(path).getroot().iter('testcase'):
        bad = case.find('failure') is not None or case.find('error') is not None or case.get('status') == 'fail'
        if bad:
            failed += 1
            name = case.get('name').rsplit('@', 1)[0]  # without the group of tests that stay on one worker
            print(f"failed: {case.get('classname')}: {name}")
        elif case.find('skipped') is not None or case.get('status') in ('disabled', 'notrun'):
            skipped += 1
        else:
            passed += 1
print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
sys.exit(0 if passed and not failed else 1)
