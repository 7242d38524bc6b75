import { resolve } from 'node:path';
import { checkPortFree } from '@chandlery/platform';
import { secondsOf } from '../../args/global-flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command } from '../../command.ts';
import { connectionOf } from '../../landscape/connect.ts';
import { defaultTunnel, formatHostPort, parseHostPort, statedXds, xdsOnHost } from '../../mesh/addresses.ts';
import type { AgentState } from '../../mesh/mesh-agent.ts';
import { accountFlags, accountOf, type ClusterAccount, meshGroup, xdsFlag } from '../../mesh/mesh-flags.ts';
import { connectAsWorkload, ttlOf } from '../../mesh/request-certificate.ts';
import { runAgent } from '../../mesh/run-agent.ts';
import { listenForStop } from '../../mesh/stop-signal.ts';

/** Stands beside a workload that cannot look after itself. */
export const agentCommand: Command = {
  name: 'mesh agent',
  group: meshGroup,
  summary: 'Keep the certificate of a workload fresh and carry its connections to the control plane',
  usage: '--account NS/ACCOUNT --dir DIR [flags]',
  examples: [
    'chandlery mesh agent --account shop/web --dir ./web',
    'chandlery mesh agent --account shop/web --dir /var/run/mesh --kubeconfig mesh.kubeconfig --token-file /var/run/token',
    'chandlery mesh agent --account shop/web --dir ./web --node-id web-1',
  ],
  options: {
    ...accountFlags,
    dir: { type: 'text', valueName: 'DIR', about: 'Where cert.pem, key.pem and ca.pem are kept.' },
    'node-id': {
      type: 'text',
      valueName: 'ID',
      about: 'The node id of an Envoy: the certificate is then good for it alone. Default: the workload itself.',
    },
    listen: {
      type: 'text',
      valueName: 'HOST:PORT',
      about: `Where clients connect, unencrypted. Default: ${defaultTunnel}.`,
    },
    ...xdsFlag,
    'renew-every': {
      type: 'text',
      valueName: 'SECONDS',
      about: 'How often another certificate is asked for, to follow a new root. Default: 300.',
    },
  },
  notes: [
    'It listens on addresses of this machine only, as whoever connects there speaks in the name of the workload.',
    'It is ready when it has reached the landscape and the control plane. Until then it tells on stderr what it waits',
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
    const listen = parseHostPort(flags.text('listen') ?? defaultTunnel, '--listen');
    const stated = statedXds(flags.text('xds-address'), env.CHANDLERY_XDS_ADDRESS);
    const { server } = connectionOf(context);
    const renewEveryMs = secondsOf(flags, 'renew-every', 300);
    await checkPortFree({ ...listen, flag: '--listen' });
    await using mesh = connectAsWorkload(context);
    using stop = listenForStop();
    await runAgent(
      {
        mesh,
        account,
        ...(proxyId !== undefined && { proxyId }),
        ...ttlOf(context),
        folder: resolve(cwd, dir),
        listen,
        xds: told => stated ?? xdsOnHost(server, told),
        renewEveryMs,
        tell: line => void stderr.write(`${line}\n`),
        onReady: state => void stdout.write(readyLine({ ...state, account, dir, host: listen.host })),
      },
      stop.signal,
    );
    return 0;
  },
};

interface ReadyAgent extends AgentState {
  readonly account: ClusterAccount;
  readonly dir: string;
  /** Where it listens. */
  readonly host: string;
}

function readyLine({ host, port, xds, account, dir, notAfter }: ReadyAgent): string {
  const tunnel = `${formatHostPort({ host, port })} leads to ${formatHostPort(xds)}`;
  const certificate = `certificate of ${account.namespace}/${account.name} in ${dir} until ${notAfter.toISOString()}`;
  return `Ready: ${tunnel}; ${certificate}.\n`;
}
