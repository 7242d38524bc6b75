import { type ReactNode, useState } from 'react';
import { useBusy } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureNotice, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import {
  actionEffects,
  actionWords,
  isConfirmed,
  isOffered,
  type RunAction,
  type RunState,
  reasonAgainst,
  runActions,
} from './run-actions.ts';

interface RunHeadProps {
  readonly crumbs: ReactNode;
  readonly title: string;
  /** The state in a word. */
  readonly mark: ReactNode;
  /** Why it is in this state. Default: nothing. */
  readonly message?: string | undefined;
  readonly state: RunState;
  /** Why the user may not do it; undefined when they may. */
  readonly denialOf: (action: RunAction) => string | undefined;
  readonly onAction: (action: RunAction) => Promise<void>;
}

/** What a run is, how it is, and what can be done with it. */
export function RunHead({ crumbs, title, mark, message = '', state, denialOf, onAction }: RunHeadProps) {
  const [asked, setAsked] = useState<RunAction>();
  const [outcome, setOutcome] = useState<RunOutcome>();
  const { busyReason, run } = useBusy();
  const perform = async (action: RunAction): Promise<void> => {
    setAsked(undefined);
    setOutcome(undefined);
    try {
      await onAction(action);
      setOutcome({ action });
    } catch (error) {
      setOutcome({ action, error });
    }
  };
  return (
    <>
      <header className="page-head">
        <div>
          <p className="crumbs">{crumbs}</p>
          <h1>{plainText(title)}</h1>
          <p>
            {mark}
            {message !== '' && <span className="situation"> {plainText(message)}</span>}
          </p>
        </div>
        <div className="actions" role="group" aria-label="Actions">
          {runActions
            .filter(action => isOffered(action, state))
            .map(action => (
              <Button
                key={action}
                kind={isConfirmed(action) ? 'danger' : action === 'retry' || action === 'resume' ? 'primary' : 'plain'}
                title={actionEffects[action]}
                disabledReason={reasonAgainst(action, state) ?? denialOf(action) ?? busyReason}
                onClick={() => (isConfirmed(action) ? setAsked(action) : void run(() => perform(action)))}
              >
                {actionWords[action]}
              </Button>
            ))}
        </div>
      </header>
      {outcome !== undefined && outcome.error === undefined && (
        <Notice kind="success">✓ {actionWords[outcome.action].replace('…', '')} was accepted</Notice>
      )}
      {outcome?.error !== undefined && <FailureNotice goal={`${outcome.action} this run`} error={outcome.error} />}
      {asked !== undefined && (
        <Dialog title={actionWords[asked].replace('…', '?')} onClose={() => setAsked(undefined)}>
          <p>{actionEffects[asked]}. What was done so far is kept, and failed runs can be retried.</p>
          <div className="actions">
            <Button kind="danger" onClick={() => void run(() => perform(asked))}>
              {actionWords[asked].replace('…', ' it')}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

interface RunOutcome {
  readonly action: RunAction;
  readonly error?: unknown;
}
