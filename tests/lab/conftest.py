"""A Slurm for the tests of this folder (slurm_cluster.py). Where it cannot run, its tests fail and say why."""
import pytest
from slurm_cluster import SlurmCluster


@pytest.fixture(scope="module")
def slurm():
    with SlurmCluster(cpus=3) as cluster:
        yield cluster
