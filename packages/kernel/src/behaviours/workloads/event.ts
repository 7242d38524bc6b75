import { type ErrorCause, fieldCause, type KubeObject, validateQualifiedName } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import { nameCauses } from './checks.ts';
import { alignMicroTimes } from './micro-time.ts';

interface Reference {
  namespace?: string;
}

function alignTimes(object: KubeObject): void {
  alignMicroTimes(object, ['eventTime']);
  alignMicroTimes(object['series'], ['lastObservedTime']);
}

/** Events live where the object they are about does; those about objects of the whole cluster in `default`. */
function placeCauses(field: string, about: Reference | undefined, namespace: string): ErrorCause[] {
  const wanted = about?.namespace ?? '';
  const isRight = wanted === '' ? namespace === 'default' || namespace === '' : wanted === namespace;
  return isRight ? [] : [fieldCause.invalid(`${field}.namespace`, wanted, 'does not match event.namespace')];
}

/** Events of the core group. */
export const eventBehaviour: Behaviour = {
  prepareCreate: alignTimes,
  prepareUpdate: alignTimes,
  validate: object =>
    placeCauses('involvedObject', object['involvedObject'] as Reference | undefined, object.metadata.namespace ?? ''),
};

/** Events of the newer group, which is stricter. */
export const newEventBehaviour: Behaviour = {
  prepareCreate: alignTimes,
  prepareUpdate: alignTimes,
  validate(object) {
    const { namespace = '' } = object.metadata;
    const causes = placeCauses('regarding', object['regarding'] as Reference | undefined, namespace);
    if ((object['eventTime'] ?? '') === '') causes.push(fieldCause.required('eventTime'));
    causes.push(
      ...nameCauses('reportingController', object['reportingController'] as string | undefined, validateQualifiedName),
    );
    for (const [field, max] of [
      ['reportingInstance', 128],
      ['action', 128],
      ['reason', 128],
    ] as const) {
      causes.push(...textCauses(field, object[field], max));
    }
    if (textOf(object['note']).length > 1024) causes.push(fieldCause.tooLong('note', 1024));
    const type = object['type'] ?? '';
    if (type !== 'Normal' && type !== 'Warning')
      causes.push(fieldCause.invalid('type', type, 'must be Normal or Warning'));
    return causes;
  },
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function textCauses(field: string, value: unknown, max: number): ErrorCause[] {
  const text = textOf(value);
  if (text === '') return [fieldCause.required(field)];
  return text.length > max ? [fieldCause.tooLong(field, max)] : [];
}
