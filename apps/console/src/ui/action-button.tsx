import { useState } from 'react';
import { Button } from './button.tsx';
import { FailureNotice, Notice } from './notice.tsx';

/** How an action ended that a view has started. */
export interface ActionOutcome {
  readonly goal: string;
  /** What is true when it has succeeded. */
  readonly result: string;
  readonly error?: unknown;
}

/** Runs the actions of a view, and remembers how the last one ended. */
export function useActions() {
  const [outcome, setOutcome] = useState<ActionOutcome>();
  const run = async (goal: string, work: () => Promise<unknown>, result: string): Promise<void> => {
    setOutcome(undefined);
    try {
      await work();
      setOutcome({ goal, result });
    } catch (error) {
      setOutcome({ goal, result, error });
    }
  };
  return { outcome, run };
}

/** Says how the last action of a view ended. */
export function OutcomeNotice({ outcome }: { readonly outcome: ActionOutcome | undefined }) {
  if (outcome === undefined) return null;
  if (outcome.error !== undefined) return <FailureNotice goal={outcome.goal} error={outcome.error} />;
  return <Notice kind="success">✓ {outcome.result}</Notice>;
}

/** Whether work of a view is under way, of which there is one at a time. */
export function useBusy() {
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    await work().finally(() => setBusy(false));
  };
  return { busyReason: isBusy ? 'It is under way' : undefined, run };
}

type ButtonProps = React.ComponentProps<typeof Button>;

interface ActionButtonProps extends Pick<ButtonProps, 'kind' | 'disabledReason' | 'children' | 'title'> {
  readonly onAction: () => Promise<void>;
}

/** A button that cannot be pressed twice while its action is under way. */
export function ActionButton({ onAction, disabledReason, ...rest }: ActionButtonProps) {
  const { busyReason, run } = useBusy();
  return <Button {...rest} disabledReason={busyReason ?? disabledReason} onClick={() => void run(onAction)} />;
}
