import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.tsx';

interface WithPanelProps {
  /** The details of what is selected. Undefined: nothing is. */
  readonly panel: ReactNode | undefined;
  /** Names what the panel shows: it comes into view when that changes. */
  readonly shown: string | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A list and, beside it, the details of the row that is selected; above it where there is no room. */
export function WithPanel({ panel, shown, onClose, children }: WithPanelProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown !== undefined) frame.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  if (panel === undefined) return children;
  return (
    <div className="with-panel">
      {children}
      <div className="panel" ref={frame}>
        <Button kind="quiet" className="panel-close" onClick={onClose}>
          Close
        </Button>
        {panel}
      </div>
    </div>
  );
}
