import { resolve } from 'node:path';
import { checkPortFree, createLogger } from '@chandlery/platform';
import { secondsOf } from '../../args/global-flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command } from '../../command.ts';
import { connectionOf } from '../../landscape/connect.ts';
import { defaultTunnel, formatHostPort, parseHostPort, xdsAddress } from '../../mesh/addresses.ts';
import { accountFlags, accountOf, meshGroup } from '../../mesh/mesh-flags.ts';
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
    'xds-address': {
      type: 'text',
      valueName: 'HOST:PORT',
      about: "The landscape's port for proxies. Default: 18000 on its host. [CHANDLERY_XDS_ADDRESS]",
    },
    'renew-every': {
      type: 'text',
      valueName: 'SECONDS',
      about: 'How often another certificate is asked for, to follow a new root. Default: 300.',
    },
  },
  notes: [
    'It listens on addresses of this machine only, as whoever connects there speaks in the name of the workload.',
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
    const addresses = { flag: flags.text('xds-address'), variable: env.CHANDLERY_XDS_ADDRESS };
    const xds = xdsAddress(connectionOf(context).server, addresses);
    const renewEveryMs = secondsOf(flags, 'renew-every', 300);
    await checkPortFree({ ...listen, flag: '--listen' });
    await using mesh = connectAsWorkload(context);
    using stop = listenForStop();
    const onReady = ({ port, notAfter }: { port: number; notAfter: Date }): void =>
      void stdout.write(
        `Ready: ${formatHostPort({ ...listen, port })} leads to ${formatHostPort(xds)}; certificate of ${account.namespace}/${account.name} in ${dir} until ${notAfter.toISOString()}.\n`,
      );
    await runAgent(
      {
        mesh,
        account,
        ...(proxyId !== undefined && { proxyId }),
        ...ttlOf(context),
        folder: resolve(cwd, dir),
        listen,
        xds,
        renewEveryMs,
        logger: createLogger({ write: line => void stderr.write(line) }),
        onReady,
      },
      stop.signal,
    );
    return 0;
  },
};
