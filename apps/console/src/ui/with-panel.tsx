import { type ReactNode, useEffect, useRef } from 'react';

interface WithPanelProps {
  /** The details of what is selected. Undefined: nothing is. */
  readonly panel: ReactNode | undefined;
  /** Names what the panel shows: it comes into view when that changes. */
  readonly shown: string | undefined;
  readonly children: ReactNode;
}

/** A list and, beside it, the details of the row that is selected; above it where there is no room. */
export function WithPanel({ panel, shown, children }: WithPanelProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown !== undefined) frame.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  if (panel === undefined) return children;
  return (
    <div className="with-panel">
      {children}
      <div className="panel" ref={frame}>
        {panel}
      </div>
    </div>
  );
}
