import { formatMicroTime } from '@chandlery/api';
import { fleetNamespace } from '../../kinds/index.ts';
import { instanceSecretKeys, instanceSecretName } from '../../model/instance-secret.ts';
import type { DraftNotes } from '../instance-draft.ts';
import { type InstanceStep, productOf } from '../instance-step.ts';

/** Puts everything that was prepared into the instance and its Secret, in one commit; the agent sees it from then on. */
export const finishPreparation: InstanceStep = (draft, { registry }, context) => {
  const { host = '', credentials, certificate } = draft.notes;
  const data = secretData(draft.notes);
  const secretName = instanceSecretName(draft.id);
  const hasSecret = Object.keys(data).length > 0;
  if (hasSecret) draft.writes.push({ type: 'put-secret', tenant: fleetNamespace, name: secretName, data });
  draft.apply({
    type: 'prepared',
    namespace: `${productOf(context).row.spec.kind.toLowerCase()}-${draft.id}`,
    host,
    placementId: registry.newFleetId(),
    ...(hasSecret ? { secretName } : {}),
    ...(credentials === undefined ? {} : { ssoClientId: credentials.clientId }),
    ...(certificate === undefined ? {} : { certificateExpiresAt: formatMicroTime(certificate.notAfter) }),
  });
  // Without a zone there are no records to wait for, so DNS takes no commit of its own.
  if (productOf(context).configuration.dns.type === 'none') draft.apply({ type: 'dns-done' });
  return 'continue';
};

const secretData = ({ credentials, certificate }: DraftNotes): Readonly<Record<string, string>> => ({
  ...(credentials === undefined ? {} : { [instanceSecretKeys.clientSecret]: credentials.clientSecret }),
  ...(certificate === undefined
    ? {}
    : {
        [instanceSecretKeys.certificate]: certificate.certPem,
        [instanceSecretKeys.privateKey]: certificate.keyPem,
        ...(certificate.caPem === undefined ? {} : { [instanceSecretKeys.authority]: certificate.caPem }),
      }),
});
