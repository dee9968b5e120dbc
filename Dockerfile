# syntax=docker/dockerfile:1
# One image for every process of the Procfile and for the command line.

FROM python:3.11-slim AS build
ENV PIP_CACHE_DIR=/var/cache/pip PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /source
RUN python -m venv /opt/daybook
COPY . .
RUN --mount=type=cache,target=/var/cache/pip /opt/daybook/bin/pip install '.[english,llm]'

FROM python:3.11-slim
RUN useradd --system --uid 10001 --home-dir /var/lib/daybook --shell /usr/sbin/nologin daybook \
    && install --directory --owner daybook --group daybook --mode 0700 /var/lib/daybook
COPY --from=build /opt/daybook /opt/daybook
# OMP_WAIT_POLICY: threads that spin while they wait take the processors from whoever shares them.
ENV PATH=/opt/daybook/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    OMP_WAIT_POLICY=PASSIVE \
    DAYBOOK_DATA_DIR=/var/lib/daybook
USER daybook
WORKDIR /var/lib/daybook
CMD ["daybook", "--help"]
