import { useId, useState } from 'react';
import { Button } from './button.tsx';

/** A command that does the same, to copy. */
export function CommandLine({ command }: { readonly command: string }) {
  const [isCopied, setCopied] = useState(false);
  const id = useId();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(command);
    setCopied(true);
  };
  return (
    <div className="command">
      <code id={id} tabIndex={0}>
        {command}
      </code>
      <Button aria-describedby={id} onClick={() => void copy()}>
        {isCopied ? '✓ Copied' : 'Copy'}
      </Button>
    </div>
  );
}

interface CommandsProps {
  /** What each command does, and the command. */
  readonly commands: readonly (readonly [what: string, command: string])[];
}

/** The actions of a view as commands. */
export const Commands = ({ commands }: CommandsProps) => (
  <details className="commands">
    <summary>Copy as command</summary>
    <dl>
      {commands.map(([what, command]) => (
        <div key={command}>
          <dt>{what}</dt>
          <dd>
            <CommandLine command={command} />
          </dd>
        </div>
      ))}
    </dl>
  </details>
);
