import type { NotificationMessage } from '../ports.ts';

/** What is to be compared anew: everything, one broker, or who may use one plan. */
export type Subject =
  | { readonly type: 'all' }
  | { readonly type: 'broker'; readonly brokerId: string }
  | { readonly type: 'plan'; readonly brokerId: string; readonly planId: string };

/** Subjects with the same key are the same. */
export function subjectKey(subject: Subject): string {
  switch (subject.type) {
    case 'all':
      return 'everything';
    case 'broker':
      return `broker ${subject.brokerId}`;
    case 'plan':
      return `plan ${subject.planId} of broker ${subject.brokerId}`;
  }
}

/**
 * What a notification makes worth a look. It does not matter whether something was made, changed or taken away: the look
 * finds that out, so that a notification may come twice, late or after others without harm.
 */
export function subjectsOf(notification: NotificationMessage, { isAccessInCatalog = false } = {}): Subject[] {
  const told: unknown[] = [notification.payload['old'], notification.payload['new']];
  const states = told.filter(isState);
  const subjects = states.flatMap((state): Subject[] => {
    if (notification.resource === '/v1/service_brokers') return brokerSubject(state.resource?.['id']);
    if (notification.resource !== '/v1/visibilities') return [];
    const brokerId = state.additional?.['broker_id'];
    if (isAccessInCatalog) return brokerSubject(brokerId);
    return planSubject(brokerId, state.resource?.['service_plan_id']);
  });
  return [...new Map(subjects.map(subject => [subjectKey(subject), subject])).values()];
}

interface ToldState {
  readonly resource?: Readonly<Record<string, unknown>>;
  readonly additional?: Readonly<Record<string, unknown>>;
}

const isState = (value: unknown): value is ToldState => typeof value === 'object' && value !== null;

const brokerSubject = (brokerId: unknown): Subject[] =>
  typeof brokerId === 'string' ? [{ type: 'broker', brokerId }] : [];

const planSubject = (brokerId: unknown, planId: unknown): Subject[] =>
  typeof brokerId === 'string' && typeof planId === 'string' ? [{ type: 'plan', brokerId, planId }] : [];
