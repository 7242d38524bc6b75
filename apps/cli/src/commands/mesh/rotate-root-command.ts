import type { MeshRootCertificate } from '@chandlery/mesh/kinds';
import type { Flags } from '../../args/flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command } from '../../command.ts';
import { connect } from '../../landscape/connect.ts';
import { findRotation, followRotation } from '../../mesh/follow-rotation.ts';
import { meshGroup } from '../../mesh/mesh-flags.ts';
import { loadMesh } from '../../mesh/mesh-module.ts';

/** Replaces the root of trust. */
export const rotateRootCommand: Command = {
  name: 'mesh rotate-root',
  group: meshGroup,
  summary: 'Replace the root of trust, as fast as proxies follow',
  usage: '[flags]',
  examples: [
    'chandlery mesh rotate-root',
    'chandlery mesh rotate-root --validity-days 365 --wait=false',
    'chandlery mesh rotate-root --follow',
  ],
  formats: [],
  options: {
    'trust-domain': { type: 'text', valueName: 'NAME', about: 'Of the new root. Default: as of the present one.' },
    'validity-days': { type: 'text', valueName: 'DAYS', about: 'How long the new root lasts. Default: 3650.' },
    follow: { type: 'switch', about: 'Begin nothing; follow the rotation in progress.' },
    wait: { type: 'switch', about: 'Follow it until it is through. Default: true.' },
  },
  notes: [
    'The landscape does the work: it continues when this command is stopped (Ctrl-C) or the connection is lost.',
    'A step that proxies do not follow in time stops it; it is never skipped. The exit code is then 1.',
  ],
  goal: () => 'replace the root of the mesh',
  async run({ flags, stdout, ...context }) {
    const request = requestOf(flags);
    await using platform = connect({ ...context, flags, stdout });
    const { startRootRotation } = await loadMesh();
    const root = flags.isOn('follow') ? await findRotation(platform) : await startRootRotation(platform, request);
    const name = root.metadata.name ?? '';
    stdout.write(beginning(root));
    if (!flags.isOn('wait', true)) return 0;
    await followRotation(platform, name, { progress: stdout, signal: new AbortController().signal });
    stdout.write(`The root "${name}" has taken the place of "${root.spec.replaces ?? ''}".\n`);
    return 0;
  },
};

const beginning = ({ metadata: { name = '' }, spec }: MeshRootCertificate): string =>
  `The root "${name}" takes the place of "${spec.replaces ?? ''}". The rotation continues by itself; Ctrl-C stops only the watching.\n`;

function requestOf(flags: Flags): { readonly trustDomain?: string; readonly validityDays?: number } {
  const trustDomain = flags.text('trust-domain');
  const days = flags.text('validity-days');
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days))
    throw usageError('InvalidOption', '--validity-days must be a number of days');
  return {
    ...(trustDomain !== undefined && { trustDomain }),
    ...(days !== undefined && { validityDays: Number(days) }),
  };
}
