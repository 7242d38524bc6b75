import { type ErrorCause, fieldCause, isKubernetesGroup } from '@chandlery/api';
import type { CustomResourceDefinition } from '../registry/kind-of-crd.ts';

const annotation = 'api-approved.kubernetes.io';

/** Whether a CRD says who approved its protected group: a URL, or a reason that begins with "unapproved". */
export interface ApiApproval {
  readonly state: 'approved' | 'bypassed' | 'missing' | 'invalid';
  readonly message: string;
}

/** Reads the approval annotation of a CRD. */
export function apiApprovalOf({ metadata }: CustomResourceDefinition): ApiApproval {
  const value = metadata.annotations?.[annotation] ?? '';
  if (value === '')
    return { state: 'missing', message: `protected groups must have approval annotation "${annotation}"` };
  if (value.startsWith('unapproved')) return { state: 'bypassed', message: `not approved: "${value}"` };
  if (isAbsoluteUrl(value)) return { state: 'approved', message: `approved in ${value}` };
  const message = `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved"`;
  return { state: 'invalid', message };
}

function isAbsoluteUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).host !== '';
}

/** What makes the approval of a CRD unacceptable. A state that has not changed is accepted: it was accepted before. */
export function approvalCauses(crd: CustomResourceDefinition, live?: CustomResourceDefinition): ErrorCause[] {
  if (!isKubernetesGroup(crd.spec.group)) return [];
  const { state, message } = apiApprovalOf(crd);
  if (live !== undefined && apiApprovalOf(live).state === state) return [];
  const field = `metadata.annotations[${annotation}]`;
  if (state === 'missing') return [fieldCause.required(field, message)];
  return state === 'invalid' ? [fieldCause.invalid(field, crd.metadata.annotations?.[annotation], message)] : [];
}
