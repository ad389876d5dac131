"""One page of the small run for all tests of this folder, and one browser for a file."""
import pytest
from served import Served, open_browser


@pytest.fixture(scope="session")
def served(small_run):
    page = Served(small_run)
    yield page
    page.stop()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = open_browser(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()
