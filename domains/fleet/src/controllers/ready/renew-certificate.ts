import { formatMicroTime } from '@chandlery/api';
import { fleetNamespace } from '../../kinds/index.ts';
import { instanceSecretKeys } from '../../model/instance-secret.ts';
import type { InstanceStep } from '../instance-step.ts';

/** So long before its end a certificate is renewed. */
const renewalMs = 30 * 24 * 3600 * 1000;

/** Renews the certificate in time, for the host and all routes. Comes back when it is due. */
export const renewCertificate: InstanceStep = async (draft, { registry, adaptersOf }, { now }) => {
  const { certificateExpiresAt, secretName, host, routes = [] } = draft.status;
  if (certificateExpiresAt === undefined || secretName === undefined || host === undefined) return 'continue';
  const dueMs = Date.parse(certificateExpiresAt) - renewalMs - now.getTime();
  if (dueMs > 0) return { retryAfterMs: dueMs };
  const { certificates } = await adaptersOf(draft.spec.product);
  if (certificates === undefined) return 'continue';
  const certificate = await certificates.issue({ hosts: [...new Set([host, ...routes.map(({ domain }) => domain)])] });
  const data = {
    ...(await registry.readSecret(fleetNamespace, secretName)),
    [instanceSecretKeys.certificate]: certificate.certPem,
    [instanceSecretKeys.privateKey]: certificate.keyPem,
  };
  draft.writes.push({ type: 'put-secret', tenant: fleetNamespace, name: secretName, data });
  draft.apply({ type: 'certificate-renewed', certificateExpiresAt: formatMicroTime(certificate.notAfter) });
  return 'continue';
};
