# One file on an image without a shell: the binary, and the C and C++ libraries that node needs.
FROM node:20-bookworm AS build
ARG COMMIT=unknown
WORKDIR /build
COPY . .
RUN make binary && mkdir /data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /build/dist-binary/outcomex /outcomex
COPY --from=build --chown=nonroot:nonroot /data /data
VOLUME /data
EXPOSE 3000
ENV OUTCOMEX_DATA=/data OUTCOMEX_HOST=0.0.0.0 NODE_OPTIONS=--v8-pool-size=1
ENV MALLOC_MMAP_THRESHOLD_=131072 MALLOC_ARENA_MAX=4
STOPSIGNAL SIGTERM
ENTRYPOINT ["/outcomex"]
CMD ["serve"]
