import type { Client } from '@chandlery/client';
import type { IndexFunction, Informer } from '@chandlery/runtime';
import { longestWorkloadHours, type MeshWorkloadCertificate } from '../../kinds/mesh-workload-certificate.ts';
import type { Trust } from '../roots/trust.ts';
import { storeCertificate } from '../workloads/certificate-store.ts';
import { newCertificate } from '../workloads/stored-certificate.ts';
import type { RootNeeds } from './root-needs.ts';

const byRoot = 'mesh/root';

/** The index that the informer of workload certificates must have. */
export const rootIndex: Readonly<Record<string, IndexFunction<MeshWorkloadCertificate>>> = {
  [byRoot]: ({ spec }) => [spec.root],
};

interface RecertifierOptions {
  readonly client: Client;
  /** With {@link rootIndex}. */
  readonly workloads: Informer<MeshWorkloadCertificate>;
  readonly trust: () => Trust;
  /** Default: the longest. */
  readonly workloadTtlMs?: number;
}

const mostAtOnce = 1000;
const groupSize = 32;

/** Finds workloads by the root of their certificates, and gives them others. */
export function createRecertifier(options: RecertifierOptions): Pick<RootNeeds, 'countCertifiedBy' | 'recertify'> {
  const { client, workloads, trust, workloadTtlMs: ttlMs = longestWorkloadHours * 60 * 60 * 1000 } = options;
  return {
    countCertifiedBy: fingerprint => workloads.byIndex(byRoot, fingerprint).length,
    async recertify(fingerprint, now) {
      const root = trust().signer;
      if (root === undefined) return;
      const outdated = workloads.byIndex(byRoot, fingerprint).slice(0, mostAtOnce);
      // In groups: writes of one group share a commit, and other work gets its turn between them.
      for (let at = 0; at < outdated.length; at += groupSize) {
        const group = outdated.slice(at, at + groupSize);
        await Promise.all(
          group.map(before => storeCertificate(client, newCertificate(before.spec, { root, now, ttlMs }), before)),
        );
      }
    },
  };
}
