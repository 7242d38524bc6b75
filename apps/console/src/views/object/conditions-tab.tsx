import { type Condition, conditionsOf, type KubeObject, type ObjectState } from '@chandlery/api';
import { EmptyState } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { StateMark } from '../../ui/state-mark.tsx';
import { Time } from '../../ui/time.tsx';

/** The conditions of an object on a line of time, the last change first. */
export function ConditionsTab({ object }: { readonly object: KubeObject }) {
  const conditions = conditionsOf(object).toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)));
  if (conditions.length === 0) return <EmptyState title="This object has no conditions" />;
  return (
    <ol className="timeline">
      {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
        <li key={type} className={`timeline-entry condition-${status.toLowerCase()}`}>
          <p className="timeline-head">
            <strong>{plainText(type)}</strong>
            <StateMark state={states[status] ?? 'exists'} word={plainText(status)} />
            <span className="quiet">
              <Time at={lastTransitionTime} />
            </span>
          </p>
          {reason !== undefined && reason !== '' && <p>{plainText(reason)}</p>}
          {message !== undefined && message !== '' && <p className="message">{plainText(message)}</p>}
        </li>
      ))}
    </ol>
  );
}

const timeOf = ({ lastTransitionTime = '' }: Condition): string => lastTransitionTime;

const states: Readonly<Record<string, ObjectState>> = { True: 'ready', False: 'failed' };
