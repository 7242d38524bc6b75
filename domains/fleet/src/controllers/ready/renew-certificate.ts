import { formatMicroTime } from '@chandlery/api';
import { fleetNamespace } from '../../kinds/index.ts';
import type { InstanceStatus } from '../../model/instance-events.ts';
import { instanceSecretKeys } from '../../model/instance-secret.ts';
import type { InstanceDraft } from '../instance-draft.ts';
import type { InstanceStep } from '../instance-step.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** So long before its end a certificate is renewed. */
const renewalMs = 30 * 24 * 3600 * 1000;

/** Renews the certificate in time, when it lacks the name of a route, and when its authority was replaced. */
export const renewCertificate: InstanceStep = async (draft, deps, { now }) => {
  const { certificateExpiresAt } = draft.status;
  if (certificateExpiresAt === undefined) return 'continue';
  const dueMs = Date.parse(certificateExpiresAt) - renewalMs - now.getTime();
  if (dueMs > 0 && coversRoutes(draft.status) && !(await isOutdated(draft, deps))) return { retryAfterMs: dueMs };
  await reissue(draft, deps);
  return 'continue';
};

/**
 * Gives the certificate the names of all routes, which are known only from the agent's report. It is committed before
 * anything else is tried: a certificate that is lost and issued again counts against the limits of its authority.
 */
export const certifyRoutes: InstanceStep = async (draft, deps) => {
  if (draft.status.certificateExpiresAt === undefined || coversRoutes(draft.status)) return 'continue';
  return (await reissue(draft, deps)) ? 'stop' : 'continue';
};

async function isOutdated(
  { spec, status }: InstanceDraft,
  { registry, adaptersOf }: Pick<WorkerDeps, 'registry' | 'adaptersOf'>,
): Promise<boolean> {
  const { certificates } = await adaptersOf(spec.product);
  if (certificates?.isOutdated === undefined || status.secretName === undefined) return false;
  const secret = await registry.readSecret(fleetNamespace, status.secretName);
  const certificate = secret?.[instanceSecretKeys.certificate];
  return certificate !== undefined && certificates.isOutdated(certificate);
}

const namesOf = ({ host = '', routes = [] }: InstanceStatus): readonly string[] => [
  ...new Set([host, ...routes.map(({ domain }) => domain)]),
];

/** The first certificate has the host alone. */
const coversRoutes = (status: InstanceStatus): boolean =>
  namesOf(status).every(name => name === status.host || status.certificateNames?.includes(name));

/** Returns whether there is a new certificate. */
async function reissue(
  draft: InstanceDraft,
  { registry, adaptersOf }: Pick<WorkerDeps, 'registry' | 'adaptersOf'>,
): Promise<boolean> {
  const { secretName, host } = draft.status;
  const { certificates } = await adaptersOf(draft.spec.product);
  if (certificates === undefined || secretName === undefined || host === undefined) return false;
  const names = namesOf(draft.status);
  const certificate = await certificates.issue({ hosts: [...names] });
  const data = {
    ...(await registry.readSecret(fleetNamespace, secretName)),
    [instanceSecretKeys.certificate]: certificate.certPem,
    [instanceSecretKeys.privateKey]: certificate.keyPem,
    ...(certificate.caPem === undefined ? {} : { [instanceSecretKeys.authority]: certificate.caPem }),
  };
  draft.writes.push({ type: 'put-secret', tenant: fleetNamespace, name: secretName, data });
  const certificateExpiresAt = formatMicroTime(certificate.notAfter);
  draft.apply({ type: 'certificate-renewed', certificateExpiresAt, certificateNames: names });
  return true;
}
