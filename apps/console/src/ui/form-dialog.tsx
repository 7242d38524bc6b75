import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { CommandLine } from './command-line.tsx';
import { Dialog } from './dialog.tsx';
import { FailureNotice } from './notice.tsx';

interface FormDialogProps {
  readonly title: string;
  /** What it is for, in a failure: "register the broker". */
  readonly goal: string;
  readonly submit: string;
  /** Default: primary. */
  readonly kind?: 'primary' | 'danger';
  /** Why it cannot be submitted yet. */
  readonly problem?: string | undefined;
  /** The same on the command line. Default: there is none. */
  readonly command?: string | undefined;
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog that does something, says why it cannot be done, and closes when it was. */
export function FormDialog({ title, goal, submit, kind = 'primary', problem, command, ...rest }: FormDialogProps) {
  const { onSubmit, onClose, children } = rest;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const perform = async (): Promise<void> => {
    setError(undefined);
    setBusy(true);
    try {
      await onSubmit();
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onChange={() => setError(undefined)}
        onSubmit={event => {
          event.preventDefault();
          if (problem === undefined && !isBusy) void perform();
        }}
      >
        {children}
        {error !== undefined && <FailureNotice goal={goal} error={error} />}
        <div className="actions">
          <Button kind={kind} type="submit" disabledReason={isBusy ? 'It is under way' : problem}>
            {isBusy ? `${submit}…` : submit}
          </Button>
          {problem !== undefined && <span className="quiet">{problem}</span>}
        </div>
      </form>
      {command !== undefined && (
        <div>
          <p className="quiet">Copy as command</p>
          <CommandLine command={command} />
        </div>
      )}
    </Dialog>
  );
}
