import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type MeshRootCertificate, meshRootCertificates } from '@chandlery/mesh/kinds';
import { findCondition } from '@chandlery/runtime';
import type { Output } from '../command.ts';
import { followObject } from '../landscape/follow-object.ts';

export interface FollowRotationOptions {
  /** Receives the progress of the rotation. */
  readonly progress: Output;
  /** Aborts with the signal's reason. */
  readonly signal: AbortSignal;
}

const hint = 'See it with "kubectl --context platform get meshrootcertificates"; follow it on with --follow.';

/**
 * Follows the root until it has replaced the old one. Rejects with `RotationStopped` when manual action is required.
 */
export async function followRotation(
  client: Client,
  name: string,
  { progress, signal }: FollowRotationOptions,
): Promise<MeshRootCertificate> {
  let last: MeshRootCertificate | undefined;
  let told = '';
  const isDone = (root: MeshRootCertificate | undefined): boolean => {
    last = root;
    const { status, message = '' } = (root && findCondition(root, 'Rotated')) ?? {};
    if (message !== '' && message !== told) progress.write(`${message}\n`);
    told = message;
    return root === undefined || status === 'True' || hasStopped(root);
  };
  await followObject<MeshRootCertificate>(client, { ...meshRootCertificates.ref, name }, { isDone, signal });
  if (last === undefined) throw new ChandleryError('NotFound', `the root "${name}" was deleted`, { hint });
  if (hasStopped(last)) throw new ChandleryError('RotationStopped', told, { hint });
  return last;
}

/** Whether the rotation requires manual action. */
const hasStopped = (root: MeshRootCertificate): boolean => {
  const { status, reason } = findCondition(root, 'Rotated') ?? {};
  return status === 'False' && (reason === 'Blocked' || reason === 'TimedOut');
};

/** The root that is replacing another one. */
export async function findRotation(client: Pick<Client, 'list'>): Promise<MeshRootCertificate> {
  const { items } = await client.list<MeshRootCertificate>(meshRootCertificates.ref);
  const names = new Set(items.map(({ metadata }) => metadata.name));
  const found = items.find(({ spec }) => spec.replaces !== undefined && names.has(spec.replaces));
  if (found !== undefined) return found;
  throw new ChandleryError('NotFound', 'no root is being replaced', {
    hint: 'Begin with "npx chandlery mesh rotate-root".',
  });
}
