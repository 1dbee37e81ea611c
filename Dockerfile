# docker build -t wordorder . && docker run --rm -v "$PWD:/data" wordorder score reference.txt -i a.txt -m cder
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels /source

FROM python:3.13-slim
# The tests of numpy would take a tenth of the image.
RUN --mount=from=build,source=/wheels,target=/wheels pip install --no-cache-dir /wheels/*.whl \
    && find /usr/local/lib/python3.13/site-packages/numpy -type d -name tests -prune -exec rm -r {} +
WORKDIR /data
USER nobody
ENTRYPOINT ["wordorder"]
CMD ["--help"]
