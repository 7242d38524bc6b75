import {
  type ErrorCause,
  fieldCause,
  fromLabelSelectorObject,
  isError,
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
} from '@chandlery/api';
import { labelCauses } from './checks.ts';
import type { PodTemplate, WorkloadSpec } from './objects.ts';
import { podSpecCauses } from './pod-rules.ts';

/** The workload that a template stands in. */
export interface TemplateOwner {
  /** As messages name it. */
  readonly kind: string;
  /** See {@link PodPlace.furtherVolumes}. Default none. */
  readonly furtherVolumes?: readonly string[];
}

/** Reads a selector; returns what is wrong with it instead when it is not a valid one. */
export function readSelector(field: string, selector: LabelSelectorObject): LabelSelector | readonly ErrorCause[] {
  try {
    return fromLabelSelectorObject(selector);
  } catch (error) {
    if (!isError(error, 'BadRequest')) throw error;
    return [fieldCause.invalid(field, selector, error.message)];
  }
}

/** A workload's selector and template, and that the one chooses the pods of the other. */
export function selectorAndTemplateCauses(spec: WorkloadSpec, owner: TemplateOwner): ErrorCause[] {
  const causes = [...selectorCauses(spec, owner.kind)];
  const { template } = spec;
  if (template === undefined || template === null) return [...causes, fieldCause.required('spec.template')];
  return [
    ...causes,
    ...templateCauses('spec.template', template, owner),
    ...lastingPodCauses('spec.template.spec', template, owner),
  ];
}

function selectorCauses({ selector, template }: WorkloadSpec, kind: string): readonly ErrorCause[] {
  const field = 'spec.selector';
  if (selector === undefined || selector === null) return [fieldCause.required(field)];
  const read = readSelector(field, selector);
  if (!('requirements' in read)) return read;
  if (read.requirements.length === 0) {
    return [fieldCause.invalid(field, selector, `empty selector is invalid for ${kind.toLowerCase()}`)];
  }
  return matchCauses(read, template);
}

/** The pods that a template makes must be the ones that the selector chooses. */
export function matchCauses(selector: LabelSelector, template: PodTemplate | undefined): ErrorCause[] {
  const labels = template?.metadata?.labels ?? {};
  if (template === undefined || template === null || matchesLabels(selector, labels)) return [];
  return [fieldCause.invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

/** Labels and pod of a template. */
export function templateCauses(
  field: string,
  template: PodTemplate,
  { furtherVolumes = [] }: Partial<TemplateOwner> = {},
): ErrorCause[] {
  return [
    ...labelCauses(`${field}.metadata.labels`, template.metadata?.labels),
    ...podSpecCauses(`${field}.spec`, template.spec ?? {}, { isPod: false, furtherVolumes }),
  ];
}

/** Pods that are replaced when they end must not end by themselves. */
function lastingPodCauses(field: string, { spec }: PodTemplate, { kind }: TemplateOwner): ErrorCause[] {
  const causes: ErrorCause[] = [];
  const policy = spec?.restartPolicy ?? 'Always';
  if (policy !== 'Always') causes.push(fieldCause.notSupported(`${field}.restartPolicy`, policy, ['Always']));
  if ((spec?.activeDeadlineSeconds ?? undefined) !== undefined) {
    causes.push(
      fieldCause.forbidden(`${field}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`),
    );
  }
  return causes;
}
