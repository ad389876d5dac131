# alps in a container: Debian 12 and everything that `./alps build` installs, built and tested (docs/cluster.md).
#   docker build -t alps .
#   docker run --rm -v "$PWD/runs:/runs" alps demo --out /runs/demo      any verb; the folder /runs is outside
#   docker run --rm --entrypoint ctest alps --test-dir /opt/alps/build/release    the C++ tests
FROM debian:bookworm

# The launcher installs what else is missing. Certificates are for `alps data get`, the last four packages for films
# (--video), with a GPU or without.
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates python3 \
    ffmpeg libegl1 libgl1-mesa-dri libosmesa6 && rm -rf /var/lib/apt/lists/*

# PyPI's torch carries the libraries of GPUs, several gigabytes. Without them:
#   docker build --build-arg PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu -t alps .
ARG PIP_EXTRA_INDEX_URL=
# the commit that results name as theirs: --build-arg ALPS_COMMIT="$(git rev-parse --short HEAD)"
ARG ALPS_COMMIT=unknown

COPY . /opt/alps
RUN /opt/alps/alps build && rm -rf /var/lib/apt/lists/* /root/.cache

ENV PATH=/opt/alps/build/release/apps:$PATH ALPS_PYTHON=/opt/alps/.venv/bin/python ALPS_COMMIT=$ALPS_COMMIT
WORKDIR /runs
ENTRYPOINT ["alps"]
CMD ["--help"]
