import type { NotificationMessage } from '../ports.ts';

/** What is to be reconciled: everything, one broker, or the access to some plans of a broker. */
export type Subject =
  | { readonly type: 'all' }
  | { readonly type: 'broker'; readonly brokerId: string }
  | { readonly type: 'plans'; readonly brokerId: string; readonly planIds: readonly string[] };

/** Subjects with the same key are compared together: see {@link mergeSubjects}. */
export function subjectKey(subject: Subject): string {
  switch (subject.type) {
    case 'all':
      return 'everything';
    case 'broker':
      return `broker ${subject.brokerId}`;
    case 'plans':
      return `plans of broker ${subject.brokerId}`;
  }
}

/** One subject for two that have the same key. */
export function mergeSubjects(a: Subject, b: Subject): Subject {
  if (a.type !== 'plans' || b.type !== 'plans') return b;
  return { ...b, planIds: [...new Set([...a.planIds, ...b.planIds])] };
}

/** Subjects of which no two have the same key. */
function distinctSubjects(subjects: readonly Subject[]): Subject[] {
  const byKey = new Map<string, Subject>();
  for (const subject of subjects) {
    const key = subjectKey(subject);
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? subject : mergeSubjects(known, subject));
  }
  return [...byKey.values()];
}

/**
 * The subjects that a notification enqueues. Whether something was created, changed or deleted does not matter: the
 * reconcile reads the current state, so notifications may arrive twice, late or out of order.
 */
export function subjectsOf(notification: NotificationMessage, { isAccessInCatalog = false } = {}): Subject[] {
  const received: unknown[] = [notification.payload['old'], notification.payload['new']];
  const states = received.filter(isState);
  const subjects = states.flatMap((state): Subject[] => {
    if (notification.resource === '/v1/service_brokers') return brokerSubject(state.resource?.['id']);
    if (notification.resource !== '/v1/visibilities') return [];
    const brokerId = state.additional?.['broker_id'];
    if (isAccessInCatalog) return brokerSubject(brokerId);
    return planSubject(brokerId, state.resource?.['service_plan_id']);
  });
  return distinctSubjects(subjects);
}

interface NotifiedState {
  readonly resource?: Readonly<Record<string, unknown>>;
  readonly additional?: Readonly<Record<string, unknown>>;
}

const isState = (value: unknown): value is NotifiedState => typeof value === 'object' && value !== null;

const brokerSubject = (brokerId: unknown): Subject[] =>
  typeof brokerId === 'string' ? [{ type: 'broker', brokerId }] : [];

const planSubject = (brokerId: unknown, planId: unknown): Subject[] =>
  typeof brokerId === 'string' && typeof planId === 'string' ? [{ type: 'plans', brokerId, planIds: [planId] }] : [];
