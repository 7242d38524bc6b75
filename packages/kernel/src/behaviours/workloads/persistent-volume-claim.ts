import { type ErrorCause, fieldCause, type KubeObject, tryParseQuantity } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import { isSame } from './checks.ts';

interface ClaimSpec {
  accessModes?: string[];
  resources?: { requests?: Record<string, string | number> };
  volumeName?: string;
  storageClassName?: string;
  volumeAttributesClassName?: string;
}

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const storageField = 'spec.resources.requests.storage';

const specOf = (object: KubeObject): ClaimSpec => object['spec'] ?? {};

/** Claims ask for storage; once made they may only ask for more. */
export const persistentVolumeClaimBehaviour: Behaviour = {
  prepareCreate(object) {
    object['status'] = { phase: 'Pending' };
  },
  validate: object => [...modeCauses(specOf(object)), ...storageCauses(specOf(object))],
  validateUpdate: (object, live) => changeCauses(specOf(object), specOf(live)),
};

function modeCauses({ accessModes: modes }: ClaimSpec): ErrorCause[] {
  if ((modes ?? []).length === 0)
    return [fieldCause.required('spec.accessModes', 'at least 1 access mode is required')];
  const unknown = (modes ?? []).filter(mode => !accessModes.includes(mode));
  return unknown.map(mode => fieldCause.notSupported('spec.accessModes', mode, accessModes));
}

const storageOf = ({ resources }: ClaimSpec): bigint | undefined => {
  const storage = resources?.requests?.['storage'] ?? undefined;
  return storage === undefined ? undefined : tryParseQuantity(String(storage))?.nanos;
};

function storageCauses(spec: ClaimSpec): ErrorCause[] {
  const storage = storageOf(spec);
  if (storage === undefined) return [fieldCause.required('spec.resources[storage]')];
  const shown = String(spec.resources?.requests?.['storage']);
  return storage > 0n ? [] : [fieldCause.invalid('spec.resources[storage]', shown, 'must be greater than zero')];
}

function changeCauses(spec: ClaimSpec, before: ClaimSpec): ErrorCause[] {
  if (!isSame(fixedPart(spec, spec), fixedPart(before, spec))) {
    const why =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    return [fieldCause.forbidden('spec', why)];
  }
  const [wanted, had] = [storageOf(spec) ?? 0n, storageOf(before) ?? 0n];
  return wanted < had ? [fieldCause.forbidden(storageField, 'field can not be less than previous value')] : [];
}

/** What must not change. Volume and class may be filled in once: the binder does so. */
function fixedPart(spec: ClaimSpec, next: ClaimSpec): unknown {
  const { resources, volumeAttributesClassName: _class, ...rest } = spec;
  const { requests, ...otherResources } = (resources ?? {}) as { requests?: Record<string, unknown> };
  const { storage: _storage, ...otherRequests } = requests ?? {};
  const volumeName = spec.volumeName || next.volumeName;
  const storageClassName = spec.storageClassName ?? next.storageClassName;
  return { ...rest, volumeName, storageClassName, otherResources, otherRequests };
}
