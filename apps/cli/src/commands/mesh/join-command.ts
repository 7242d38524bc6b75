import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@chandlery/client';
import { usageError } from '../../args/usage-error.ts';
import type { Command, CommandContext } from '../../command.ts';
import { connectionOf } from '../../landscape/connect.ts';
import { listenForStop } from '../../landscape/stop-signal.ts';
import { Contact, type ContactMessages } from '../../mesh/contact.ts';
import { type JoinedMachine, type JoinOptions, joinMachine } from '../../mesh/join-machine.ts';
import { type JoinCloud, joinClouds, metadataAddress } from '../../mesh/machine-documents.ts';
import { MeshClient } from '../../mesh/mesh-client.ts';
import { accountFlags, meshGroup, namespacedName } from '../../mesh/mesh-flags.ts';
import { withoutUser } from '../../mesh/request-certificate.ts';
import { untilReached } from '../../mesh/until-reached.ts';

const messages: ContactMessages = {
  waiting: 'Waiting for the landscape',
  lost: 'Lost contact with the landscape',
  regained: 'Regained contact with the landscape',
  failing: 'Cannot keep the token fresh',
  mended: 'The token is kept fresh again',
};

/** Proves by its cloud which machine this is, and keeps a token of its service account fresh. */
export const joinCommand: Command = {
  name: 'mesh join',
  group: meshGroup,
  formats: [],
  summary: 'Join a machine of a cloud: keep a token of its service account fresh',
  usage: '--rule NS/RULE --cloud aws|azure|google --dir DIR [flags]',
  examples: [
    'chandlery mesh join --rule shop/books --cloud google --dir /var/lib/mesh --kubeconfig mesh.kubeconfig',
    'chandlery mesh agent --account shop/books --dir ./books --token-file /var/lib/mesh/token --kubeconfig mesh.kubeconfig',
  ],
  options: {
    rule: { type: 'text', valueName: 'NS/RULE', about: 'The MachineRule that allows this machine.' },
    cloud: { type: 'text', valueName: joinClouds.join('|'), about: 'The cloud of this machine.' },
    cluster: accountFlags.cluster,
    dir: { type: 'text', valueName: 'DIR', about: 'Where join-key.pem is kept, for all rules of this machine.' },
    'token-file': { type: 'text', valueName: 'FILE', about: 'Where the token is written. Default: token in DIR.' },
    once: { type: 'switch', about: 'End after the first token.' },
    'metadata-url': {
      type: 'text',
      valueName: 'URL',
      about: `The metadata service of the machine. Default: ${metadataAddress}.`,
    },
  },
  notes: [
    'The kubeconfig needs the address and authority of the landscape only: its user is not used. The key of the first',
    'join stays on this machine; another one is denied until the MachineJoin is deleted: name the same DIR and another',
    '--token-file for each rule. Only the owner can read these files. The token lasts an hour, and is replaced after half',
    'of that. It ends by SIGTERM or Ctrl-C, with 0.',
  ],
  goal: () => 'join the mesh',
  async run(context) {
    const { flags, stdout, stderr } = context;
    await using mesh = new MeshClient(createClient(withoutUser(connectionOf(context))));
    const options = { mesh, ...optionsOf(context) };
    using stop = listenForStop();
    const contact = new Contact(messages, line => void stderr.write(`${line}\n`));
    const join = () => joinMachine(options, stop.signal);
    const { signal } = stop;
    try {
      let joined = await untilReached(contact, join, { signal });
      stdout.write(`Ready: token of ${joined.serviceAccount} in ${joined.tokenFile}.\n`);
      while (!flags.isOn('once')) {
        await sleep(renewalDelayMs(joined), undefined, { signal });
        joined = await untilReached(contact, join, { signal, isPatient: true });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return 0;
  },
};

const minDelayMs = 10_000;

const renewalDelayMs = ({ expiresAt }: JoinedMachine): number =>
  Math.max(minDelayMs, (expiresAt.getTime() - Date.now()) / 2);

function optionsOf({ flags, cwd }: CommandContext): Omit<JoinOptions, 'mesh'> {
  const required = (name: string, valueName: string): string => {
    const text = flags.text(name);
    if (text === undefined) throw usageError('MissingArgument', `--${name} ${valueName} is missing`);
    return text;
  };
  const { namespace, name: rule } = namespacedName(required('rule', 'NS/RULE'), '--rule');
  const cloud = required('cloud', joinClouds.join('|'));
  if (!joinClouds.includes(cloud as JoinCloud))
    throw usageError('InvalidOption', `--cloud must be one of ${joinClouds.join(', ')}, not "${cloud}"`);
  const folder = resolve(cwd, required('dir', 'DIR'));
  return {
    ...{ cluster: flags.text('cluster') ?? 'onboarding', namespace, rule, cloud: cloud as JoinCloud, folder },
    tokenFile: resolve(cwd, flags.text('token-file') ?? join(folder, 'token')),
    metadataUrl: checkMetadataUrl(flags.text('metadata-url') ?? metadataAddress),
  };
}

function checkMetadataUrl(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text)) return text;
  throw usageError('InvalidOption', `--metadata-url must be a URL such as ${metadataAddress}, not "${text}"`);
}
