import type { IForbiddenRuleType } from 'dependency-cruiser';
import { meshImportRules } from './mesh-import-rules.ts';
import { roomRules } from './room-rules.ts';

/** Parts of the tree in the order in which arrows may point: a part may import those in `mayUse`, itself, and nothing else of ours. */
interface Part {
  readonly name: string;
  readonly path: string;
  readonly mayUse: readonly string[];
  /** Parts whose types alone may be imported. Default none. */
  readonly mayUseTypesOf?: readonly string[];
}

/** Code that only tests see, and what other tests share with it. */
const testFiles = String.raw`\.test\.ts$|/test-[^/]*\.ts$|-contract\.ts$|^packages/testing/|^test/`;
const testCode = `${testFiles}|^(bench|tools|examples)/`;

const ground = ['packages/api', 'packages/platform'];
const sdk = [...ground, 'packages/client', 'packages/runtime', 'packages/sdk'];

const parts: readonly Part[] = [
  { name: 'api', path: 'packages/api', mayUse: [] },
  { name: 'platform', path: 'packages/platform', mayUse: ['packages/api'] },
  // The kernel gives a client in process: it implements the interface of `client` and needs none of its code.
  { name: 'kernel', path: 'packages/kernel', mayUse: ground, mayUseTypesOf: ['packages/client'] },
  { name: 'http', path: 'packages/http', mayUse: ground },
  { name: 'kubernetes', path: 'packages/kubernetes', mayUse: [...ground, 'packages/kernel', 'packages/http'] },
  { name: 'client', path: 'packages/client', mayUse: ground },
  { name: 'runtime', path: 'packages/runtime', mayUse: [...ground, 'packages/client'] },
  {
    name: 'registry',
    path: 'packages/registry',
    mayUse: [...ground, 'packages/runtime'],
    mayUseTypesOf: ['packages/client'],
  },
  // The workflow engine is usable alone.
  { name: 'workflow', path: 'packages/workflow', mayUse: ground },
  // Providers speak the words of clusters and providers: their kinds, and nothing else of them.
  {
    name: 'sdk',
    path: 'packages/sdk',
    mayUse: [...ground, 'packages/client', 'packages/runtime', 'domains/[^/]+/src/kinds'],
  },
  {
    name: 'domains',
    path: 'domains',
    mayUse: [...sdk, 'packages/http', 'packages/registry', 'packages/workflow', 'domains'],
  },
  // The command line is also the agent of the mesh, beside workloads.
  {
    name: 'cli',
    path: 'apps/cli',
    mayUse: [...sdk, 'packages/workflow', 'apps/server', 'domains/[^/]+/src/kinds', 'domains/mesh/src'],
  },
  // The console is a client in a browser: of the APIs it knows words and kinds, how to trace, and what a workflow is.
  {
    name: 'console',
    path: 'apps/console',
    mayUse: ['packages/api', 'packages/sdk/src/trace', 'packages/workflow', 'domains/[^/]+/src/kinds'],
  },
  { name: 'agent', path: 'apps/agent', mayUse: [...sdk, 'domains'] },
  { name: 'proxy', path: 'apps/proxy', mayUse: [...sdk, 'domains'] },
];

/** The rooms of the mesh that know Envoy's messages. */
const meshWire = ['domains/mesh/src/resources', 'domains/mesh/src/server'];

const anyOf = (paths: readonly string[]): string => `^(${paths.join('|')})/`;

const arrowsPointInward = ({ name, path, mayUse, mayUseTypesOf = [] }: Part): IForbiddenRuleType => ({
  name: `${name}-imports`,
  comment: `${path} may import of ours: ${mayUse.join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: `^${path}/`, pathNot: testCode },
  to: {
    path: '^(packages|domains|apps)/',
    pathNot: anyOf([path, ...mayUse, ...mayUseTypesOf]),
  },
});

const typesOnly = ({ name, path, mayUseTypesOf = [] }: Part): IForbiddenRuleType => ({
  name: `${name}-types`,
  comment: `${path} may import types alone (import type) of ${mayUseTypesOf.join(', ')}.`,
  severity: 'error',
  from: { path: `^${path}/`, pathNot: testCode },
  to: { path: anyOf(mayUseTypesOf), dependencyTypesNot: ['type-only'] },
});

/** A library and the only places that may know it. */
const libraryHome = (library: string, to: string, homes: readonly string[]): IForbiddenRuleType => ({
  name: `${library}-home`,
  comment: `${library} is imported only in ${homes.join(', ')}.`,
  severity: 'error',
  from: { path: '^(packages|domains|apps)/', pathNot: `${anyOf(homes)}|${testCode}` },
  to: { path: to },
});

/** The layers of domains with a REST API over a registry, the outermost first: each may import those after it. */
const restLayers = ['facade/routes', 'facade/middleware', 'facade/handlers', 'actions', 'registry', 'model', 'kinds'];

const layerRules = (domain: string): readonly IForbiddenRuleType[] =>
  restLayers.map((layer, at) => ({
    name: `${domain}-${layer.replace('/', '-')}-layer`,
    comment: `domains/${domain}/src/${layer} imports no layer outside it: ${restLayers.slice(0, at).join(', ')}; nor controllers and adapters.`,
    severity: 'error',
    from: { path: `^domains/${domain}/src/${layer}/`, pathNot: testCode },
    to: { path: `^domains/${domain}/src/(${[...restLayers.slice(0, at), 'controllers', 'adapters'].join('|')})/` },
  }));

/** What may import what. See "Arrows point inward" in the style guide. */
export const importRules: readonly IForbiddenRuleType[] = [
  ...parts.map(arrowsPointInward),
  ...parts.filter(({ mayUseTypesOf }) => mayUseTypesOf !== undefined).map(typesOnly),
  {
    name: 'domains-apart',
    comment: 'Domains meet through resources: of another domain only its kinds may be imported.',
    severity: 'error',
    from: { path: '^domains/([^/]+)/', pathNot: testCode },
    to: { path: '^domains/', pathNot: '^domains/($1/|[^/]+/src/kinds/)' },
  },
  ...roomRules(testCode),
  ...layerRules('fleet'),
  ...layerRules('orders'),
  {
    name: 'front-doors',
    comment:
      'Of another package only an index.ts may be imported (besides the errors of api, which a worker thread loads alone, and the start of our commands, which an older Node.js loads).',
    severity: 'error',
    from: { path: '^((?:packages|domains|apps)/[^/]+)/' },
    to: {
      path: '^(packages|domains|apps)/',
      pathNot: String.raw`^$1/|/index\.ts$|^packages/api/src/errors\.ts$|^packages/platform/bin/(?:launch|bundle)\.mjs$`,
    },
  },
  {
    name: 'no-testing-in-product',
    comment: 'Product code does not import @chandlery/testing, tests, or helpers of tests (test-*.ts, *-contract.ts).',
    severity: 'error',
    from: { pathNot: testCode },
    to: { path: testFiles },
  },
  libraryHome('react', '(^|/)node_modules/(@types/)?react(-dom)?/', ['apps/console']),
  libraryHome('codemirror', '(^|/)node_modules/@(codemirror|lezer)/', ['apps/console']),
  libraryHome('dagre', '(^|/)node_modules/@dagrejs/', ['apps/console/src/ui/graph']),
  libraryHome('pg', '(^|/)node_modules/(@types/)?pg/', ['packages/kernel/src/store']),
  libraryHome('cel-js', '(^|/)node_modules/@marcbachmann/cel-js/', ['packages/kernel/src/schema/cel']),
  libraryHome('node:sqlite', '^(node:)?sqlite$', ['packages/kernel/src/store', 'packages/platform/src/process']),
  libraryHome('dns-packet', '(^|/)node_modules/dns-packet/', ['domains/fleet/src/adapters/dns']),
  libraryHome('@aws-sdk', '(^|/)node_modules/@(aws-sdk|smithy)/', [
    'domains/fleet/src/adapters/dns',
    'domains/mesh/src/endpoints/clouds/aws',
    'domains/mesh/src/endpoints/clouds/xml',
  ]),
  libraryHome('aws4fetch', '(^|/)node_modules/aws4fetch/', [
    'domains/orders/src/adapters/blobs',
    'domains/mesh/src/endpoints/clouds/aws',
  ]),
  libraryHome('tar-stream', '(^|/)node_modules/tar-stream/', ['domains/orders/src/adapters']),
  libraryHome('yauzl', '(^|/)node_modules/(@types/)?yauzl/', ['domains/orders/src/adapters']),
  libraryHome('fastify', '(^|/)node_modules/fastify/', [
    'packages/http',
    'packages/kubernetes',
    'domains/[^/]+/src/facade',
  ]),
  ...meshImportRules(testCode),
  libraryHome('protobufjs', '(^|/)node_modules/protobufjs/', meshWire),
  libraryHome('@grpc', '(^|/)node_modules/@grpc/', meshWire),
  {
    name: 'no-circles',
    comment: 'Modules that import each other cannot be understood one by one.',
    severity: 'error',
    from: {},
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'resolvable',
    comment: 'The imported module does not exist.',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
];
