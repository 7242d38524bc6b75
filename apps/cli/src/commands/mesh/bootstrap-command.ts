import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toError } from '@chandlery/api';
import { randomIds, writeFileAtomically } from '@chandlery/platform';
import { formatOf } from '../../args/global-flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command, CommandContext } from '../../command.ts';
import { connectionOf } from '../../landscape/connect.ts';
import { defaultTunnel, type HostPort, parseTunnel, statedXds, xdsOnHost } from '../../mesh/addresses.ts';
import { announceFlag, announcementsOf, envoyPortFlags, envoyPortsOf } from '../../mesh/bootstrap/bootstrap-flags.ts';
import type { BootstrapOptions } from '../../mesh/bootstrap/bootstrap-options.ts';
import { envoyBootstrap } from '../../mesh/bootstrap/envoy-bootstrap.ts';
import { sdsFiles, workloadFile } from '../../mesh/bootstrap/envoy-files.ts';
import { grpcBootstrap } from '../../mesh/bootstrap/grpc-bootstrap.ts';
import { claimOf } from '../../mesh/claim-folder.ts';
import { accountFlags, accountOf, type ClusterAccount, meshGroup, xdsFlag } from '../../mesh/mesh-flags.ts';
import { loadMesh } from '../../mesh/mesh-module.ts';
import {
  connectAsWorkload,
  readTrust,
  requestCertificate,
  ttlOf,
  workloadChainOf,
} from '../../mesh/request-certificate.ts';
import { formatValue } from '../../output/print-object.ts';
import { oneLine } from '../../output/report-error.ts';

const dialects = ['envoy', 'grpc'] as const;
type Dialect = (typeof dialects)[number];

/** Default folder of the files. */
const defaultFolder = '/etc/chandlery/mesh';

/** Creates the bootstrap of a client of the mesh. */
export const bootstrapCommand: Command = {
  name: 'mesh bootstrap',
  group: meshGroup,
  summary: 'Print what an Envoy or a gRPC library needs to join the mesh',
  usage: 'envoy|grpc --account NS/ACCOUNT [flags]',
  examples: [
    'chandlery mesh bootstrap envoy --account shop/web --dir ./web',
    'chandlery mesh bootstrap grpc --account shop/web --cluster eu-1 --dir ./web',
    'chandlery mesh bootstrap envoy --account shop/books --dir ./books --announce books=10.0.0.7:http=8080',
    'chandlery mesh bootstrap envoy --account shop/web --xds-address mesh.example.com:18000',
  ],
  arguments: { required: ['envoy|grpc'] },
  options: {
    ...accountFlags,
    'node-id': { type: 'text', valueName: 'ID', about: 'What it calls itself. Default: a new name.' },
    dir: { type: 'text', valueName: 'DIR', about: 'Write it there, with a new certificate. Default: print it.' },
    region: { type: 'text', valueName: 'NAME', about: 'Where it runs. Default: the region of its cluster.' },
    zone: { type: 'text', valueName: 'NAME', about: 'Where it runs. Default: not said.' },
    ...xdsFlag,
    listen: {
      type: 'text',
      valueName: 'unix:///PATH|HOST:PORT',
      about: 'Where the agent listens (grpc), as its own --listen says. Default: agent/xds.sock in the folder.',
    },
    ...announceFlag,
    ...envoyPortFlags,
    delta: { type: 'switch', about: 'Ask for changes only, not for all of a type (envoy).' },
    output: {
      type: 'text',
      short: 'o',
      valueName: 'yaml|json',
      about: 'How it is printed. Default: yaml, json of grpc.',
    },
  },
  notes: [
    `Without --dir the certificate is expected in ${defaultFolder}. It has to be renewed: run "chandlery mesh agent".`,
    'An Envoy needs the three files beside its bootstrap that --dir writes; they name the files of its certificates.',
    'A gRPC library reaches the control plane through the agent: run "chandlery mesh agent" beside it.',
  ],
  goal: ([dialect]) => `make a bootstrap for ${dialect ?? 'a proxy'}`,
  async run(context) {
    const dialect = dialectOf(context);
    const options = optionsOf(context, dialect);
    const bootstrap = await textOf(context, dialect, options);
    if (context.flags.text('dir') === undefined) context.stdout.write(bootstrap);
    else await writeAll(context, dialect, { options, bootstrap });
    return 0;
  },
};

function dialectOf({ args }: CommandContext): Dialect {
  const found = dialects.find(dialect => dialect === args[0]);
  if (found === undefined)
    throw usageError('InvalidOption', `say for whom: ${dialects.join(' or ')}, not "${args[0]}"`);
  return found;
}

function optionsOf(context: CommandContext, dialect: Dialect): BootstrapOptions {
  const { flags, env, cwd } = context;
  const account = accountOf(flags);
  const dir = flags.text('dir');
  const region = flags.text('region');
  const zone = flags.text('zone');
  const xds = statedXds(flags.text('xds-address'), env.CHANDLERY_XDS_ADDRESS);
  const folder = dir === undefined ? defaultFolder : resolve(cwd, dir);
  const listen = flags.text('listen');
  const announcements = announcementsOf(flags);
  return {
    account,
    nodeId: nodeIdOf(flags.text('node-id') ?? `${account.name}-${dialect}-${randomIds.nameSuffix()}`),
    ...(region !== undefined && { region }),
    ...(zone !== undefined && { zone }),
    folder,
    ...(announcements !== undefined && { announcements }),
    ...(xds !== undefined && { xds }),
    tunnel: listen === undefined ? defaultTunnel(folder) : parseTunnel(listen, '--listen'),
  };
}

/** Validates a node id for certificates. */
function nodeIdOf(text: string): string {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(text)) return text;
  throw usageError('InvalidOption', '--node-id must be 1 to 64 letters, digits, dots, dashes or underscores');
}

async function textOf(context: CommandContext, dialect: Dialect, options: BootstrapOptions): Promise<string> {
  const { flags } = context;
  if (dialect === 'grpc') {
    formatOf(flags, ['json']);
    return formatValue(grpcBootstrap(options, (await loadMesh()).serverListenerPrefix), 'json');
  }
  const format = formatOf(flags, ['yaml', 'json']) === 'json' ? 'json' : 'yaml';
  const xds = options.xds ?? (await askXds(context, options.account));
  const envoy = { xds, isDelta: flags.isOn('delta'), ports: envoyPortsOf(flags) };
  return formatValue(envoyBootstrap(options, envoy), format);
}

/** A bootstrap that is only printed needs no landscape; the user is then warned that the port is a guess. */
async function askXds(context: CommandContext, account: ClusterAccount): Promise<HostPort> {
  const { server } = connectionOf(context);
  try {
    await using mesh = connectAsWorkload(context);
    return xdsOnHost(server, (await readTrust(mesh, account)).xdsPort);
  } catch (thrown) {
    if (context.flags.text('dir') !== undefined) throw thrown;
    const guess = xdsOnHost(server);
    const why = oneLine(toError(thrown).message);
    context.stderr.write(
      `Port ${guess.port} is a guess: ${why}. Next: name the port for proxies with --xds-address.\n`,
    );
    return guess;
  }
}

interface Written {
  readonly options: BootstrapOptions;
  readonly bootstrap: string;
}

async function writeAll(context: CommandContext, dialect: Dialect, { options, bootstrap }: Written): Promise<void> {
  const { folder, account, nodeId } = options;
  const { checkFolderOwner, createCsr, workloadSecret, writeCertificateFolder } = await loadMesh();
  const claim = claimOf(account);
  checkFolderOwner(folder, claim);
  await using mesh = connectAsWorkload(context);
  const { csr, privateKey } = createCsr();
  // The certificate of a gRPC library is that of the workload, which authenticates it to peers. An Envoy gets two for
  // its key: that of the workload, and one for the Envoy itself, which authenticates it to the control plane.
  const proxy = dialect === 'envoy' ? { proxyId: nodeId } : {};
  const signed = await requestCertificate(mesh, csr, { account, ...proxy, ...ttlOf(context) });
  checkFolderOwner(folder, { ...claim, tenant: signed.tenant });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const workload = workloadChainOf(signed, proxy);
  const files = { cert: signed.certificate, key: privateKey, ca: signed.trustBundle };
  writeCertificateFolder(folder, { ...files, ...(workload !== undefined && { workload }) });
  if (dialect === 'envoy')
    for (const { path, content } of [...Object.values(sdsFiles(folder)), workloadFile(folder, workloadSecret)])
      writeFileAtomically(path, formatValue(content, 'yaml'));
  const path = resolve(folder, dialect === 'envoy' ? 'envoy.yaml' : 'grpc.json');
  writeFileAtomically(path, bootstrap);
  context.stdout.write(`${path} is written, with a certificate of ${signed.spiffeId} until ${signed.notAfter}.\n`);
}
