import { resolve } from 'node:path';
import type { TunnelAddress } from '@chandlery/mesh/agent';
import { checkPortFree } from '@chandlery/platform';
import { secondsOf } from '../../args/global-flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command, CommandContext } from '../../command.ts';
import { connectionOf } from '../../landscape/connect.ts';
import { listenForStop } from '../../landscape/stop-signal.ts';
import {
  defaultTunnel,
  formatHostPort,
  formatTunnel,
  parseTunnel,
  statedXds,
  xdsOnHost,
} from '../../mesh/addresses.ts';
import type { AgentState } from '../../mesh/mesh-agent.ts';
import { accountFlags, accountOf, type ClusterAccount, meshGroup, xdsFlag } from '../../mesh/mesh-flags.ts';
import { connectAsWorkload, ttlOf } from '../../mesh/request-certificate.ts';
import { runAgent } from '../../mesh/run-agent.ts';

/** Runs beside a workload: renews its certificate and forwards its connections. */
export const agentCommand: Command = {
  name: 'mesh agent',
  group: meshGroup,
  summary: 'Keep the certificate of a workload fresh, and carry its connections',
  usage: '--account NS/ACCOUNT --dir DIR [flags]',
  examples: [
    'chandlery mesh agent --account shop/web --dir ./web',
    'chandlery mesh agent --account shop/web --dir /var/run/mesh --kubeconfig mesh.kubeconfig --token-file /var/run/token',
    'chandlery mesh agent --account shop/web --dir ./web --node-id web-1',
  ],
  formats: [],
  options: {
    ...accountFlags,
    dir: { type: 'text', valueName: 'DIR', about: 'Where cert.pem, key.pem and ca.pem are kept.' },
    'node-id': {
      type: 'text',
      valueName: 'ID',
      about:
        'The node id of an Envoy: the certificate is good for it alone, and it connects itself. Default: the workload.',
    },
    listen: {
      type: 'text',
      valueName: 'unix:///PATH|HOST:PORT',
      about: 'Where gRPC libraries connect, unencrypted. Default: agent/xds.sock in DIR.',
    },
    ...xdsFlag,
    'renew-every': {
      type: 'text',
      valueName: 'TIME',
      about: 'How often another certificate is asked for, to follow a new root. Default: 5m.',
    },
  },
  notes: [
    'A client of the socket acts as the workload: the socket is for its owner alone (mode 0600, in a folder',
    'of mode 0700). Every user of this machine can connect to a HOST:PORT, which is for libraries without unix sockets.',
    'It never returns private keys. With --node-id it does not listen at all.',
    'It is ready when it has reached the landscape and the control plane. Until then it reports on stderr what it waits',
    'for, and later when it loses and regains contact. It ends with 1 when it is refused a certificate and has none yet.',
    'It ends by SIGTERM or Ctrl-C, with exit code 0. The certificate stays where it is.',
  ],
  goal: () => 'run the agent of the mesh',
  async run(context) {
    const { flags, env, cwd, stdout, stderr } = context;
    const account = accountOf(flags);
    const dir = flags.text('dir');
    if (dir === undefined) throw usageError('MissingArgument', '--dir DIR is missing');
    const proxyId = flags.text('node-id');
    const folder = resolve(cwd, dir);
    const listen = listenOf(context, folder);
    const stated = statedXds(flags.text('xds-address'), env.CHANDLERY_XDS_ADDRESS);
    const { server } = connectionOf(context);
    const renewEveryMs = secondsOf(flags, 'renew-every', 300);
    if (listen !== undefined && 'host' in listen) await checkPortFree({ ...listen, flag: '--listen' });
    await using mesh = connectAsWorkload(context);
    using stop = listenForStop();
    await runAgent(
      {
        mesh,
        account,
        ...(proxyId !== undefined && { proxyId }),
        ...ttlOf(context),
        folder,
        ...(listen !== undefined && { listen }),
        xds: told => stated ?? xdsOnHost(server, told),
        renewEveryMs,
        tell: line => void stderr.write(`${line}\n`),
        onReady: state => void stdout.write(readyLine({ ...state, account, dir })),
      },
      stop.signal,
    );
    return 0;
  },
};

/** The listening address of the tunnel; undefined for an Envoy, which connects by itself. */
function listenOf({ flags }: CommandContext, folder: string): TunnelAddress | undefined {
  const stated = flags.text('listen');
  if (flags.text('node-id') === undefined)
    return stated === undefined ? defaultTunnel(folder) : parseTunnel(stated, '--listen');
  if (stated === undefined) return undefined;
  throw usageError('InvalidOption', '--listen is for gRPC libraries: an Envoy (--node-id) connects by itself');
}

interface ReadyAgent extends AgentState {
  readonly account: ClusterAccount;
  readonly dir: string;
}

function readyLine({ listen, xds, account, dir, notAfter }: ReadyAgent): string {
  const tunnel = listen === undefined ? '' : `${formatTunnel(listen)} leads to ${formatHostPort(xds)}; `;
  const certificate = `certificate of ${account.namespace}/${account.name} in ${dir} until ${notAfter.toISOString()}`;
  return `Ready: ${tunnel}${certificate}.\n`;
}
