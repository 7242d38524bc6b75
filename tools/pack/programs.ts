/** Everything that runs as a program or as a thread of its own: its name in a release, and its source. */
export const programs = {
  chandlery: 'apps/cli/src/main.ts',
  'chandlery-proxy': 'apps/proxy/src/main.ts',
  'chandlery-agent': 'apps/agent/src/main.ts',
  'dinosaurs-server': 'domains/fleet/src/products/dinosaurs/server.ts',
  'example-postgres-provider': 'examples/providers/postgres/main.ts',
  'example-postgres-server': 'examples/providers/postgres/server.ts',
  'store-writer': 'packages/kernel/src/store/sqlite/writer.ts',
  'store-checkpoint-worker': 'packages/kernel/src/store/sqlite/checkpoint-worker.ts',
  'yaml-worker': 'packages/kubernetes/src/yaml/yaml-worker.ts',
  'password-worker': 'domains/brokers/src/facade/authentication/password-worker.ts',
} as const;

/** The programs that users start. */
export const commands = ['chandlery', 'chandlery-proxy', 'chandlery-agent'] as const;

/** The files that `chandlery demo` uses; they are in one folder of a release. */
export const demoFiles: readonly string[] = [
  ...['install.yaml', 'config.yaml', 'database.yaml'].map(name => `examples/providers/postgres/${name}`),
  'examples/first-minute/hello.yaml',
];

/** Where a release has what modules name by a path relative to their source; paths are relative to the bundle. */
export const releasePaths: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(programs).map(([name, source]) => [source, `./${name}.mjs`])),
  'apps/agent/bin/chandlery-agent.mjs': '../bin/chandlery-agent.mjs',
  'apps/cli/bin/chandlery.mjs': '../bin/chandlery.mjs',
  'apps/console': '../console',
  'apps/cli/template/provider': '../template/provider',
  'examples/providers/postgres': '../template/demo',
  'examples/first-minute/hello.yaml': '../template/demo/hello.yaml',
  // Where the example server keeps a PostgreSQL that it has fetched.
  '.cache': '../.cache',
};

/** The module that reads Envoy's messages from a package; a release has them as one value. */
export const protosModule = 'domains/mesh/src/resources/proto/load-envoy-protos.ts';
