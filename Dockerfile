# Built for the service beside a Neo4j (docker-compose.yml), or alone on the embedded graph in /data.
FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS build
WORKDIR /app
COPY . .
RUN node scripts/setup.mjs && npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c
ENV NODE_ENV=production TURNGRAPH_DATA=/data TURNGRAPH_HOST=0.0.0.0
# The value that the allocator begins with, but it stays: what the embedded graph frees goes back to the system.
ENV MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY cypher ./cypher
RUN mkdir -m 700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 7480
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7480/healthz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/bin/main.js", "serve"]
