import { ChandleryError, isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type MeshRootCertificate, meshRootCertificates } from '../kinds/mesh-root-certificate.ts';

export interface RotationRequest {
  /** Default: that of the replaced root. */
  readonly trustDomain?: string;
  /** Default 3650. */
  readonly validityDays?: number;
}

/**
 * Starts the replacement of the active root and returns the new root, whose status shows the progress. Throws
 * `RotationInProgress` during another rotation.
 */
export async function startRootRotation(
  client: Pick<Client, 'list' | 'create'>,
  { trustDomain, validityDays = 3650 }: RotationRequest = {},
): Promise<MeshRootCertificate> {
  const { items } = await client.list<MeshRootCertificate>(meshRootCertificates.ref);
  const old = soleActive(items);
  const spec = {
    role: 'inactive',
    trustDomain: trustDomain ?? old.spec.trustDomain,
    validityDays,
    replaces: old.metadata.name ?? '',
  } as const;
  // The name is derived from the existing roots: of two concurrent calls, one fails.
  const metadata = { name: nextName(items) };
  try {
    return await client.create(meshRootCertificates.ref, meshRootCertificates.object(metadata, spec));
  } catch (error) {
    if (isError(error, 'AlreadyExists')) throw inProgress(metadata.name);
    throw error;
  }
}

function soleActive(roots: readonly MeshRootCertificate[]): MeshRootCertificate {
  const names = new Set(roots.map(({ metadata }) => metadata.name));
  const successor = roots.find(({ spec }) => spec.replaces !== undefined && names.has(spec.replaces));
  if (successor !== undefined) throw inProgress(successor.metadata.name ?? '');
  const [active, second] = roots.filter(({ spec }) => spec.role === 'active');
  if (active !== undefined && second === undefined) return active;
  throw new ChandleryError(
    'NoSigningRoot',
    'cannot replace the root of the mesh: there is not exactly one active root',
    {
      hint: 'See the MeshRootCertificates; leave one active, then begin again.',
    },
  );
}

function nextName(roots: readonly MeshRootCertificate[]): string {
  const numbers = roots.map(({ metadata }) => Number(/^root-(\d+)$/.exec(metadata.name ?? '')?.[1] ?? 0));
  return `root-${Math.max(0, ...numbers) + 1}`;
}

const inProgress = (name: string): ChandleryError =>
  new ChandleryError('RotationInProgress', `the root "${name}" is already replacing another one`, {
    hint: `Wait until it is complete; its conditions show what it waits for.`,
  });
