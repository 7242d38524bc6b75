import type { ReactNode } from 'react';
import { explainFailure } from '../api/api-failure.ts';

/** A message that stands in the page. */
export function Notice({
  kind,
  children,
}: {
  readonly kind: 'info' | 'success' | 'warning' | 'error';
  readonly children: ReactNode;
}) {
  return (
    <div className={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** What failed, why, and what to do next. */
export function FailureNotice({ goal, error }: { readonly goal: string; readonly error: unknown }) {
  const { message, hint } = explainFailure(error);
  return (
    <Notice kind="error">
      <strong>Cannot {goal}</strong>
      <p>{message}</p>
      {hint !== '' && <p className="quiet">{hint}</p>}
    </Notice>
  );
}

/** What a view shows when it has nothing: why, and what to do about it. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Names what is being waited for. */
export const Loading = ({ what }: { readonly what: string }) => (
  <p className="loading" role="status">
    Loading {what}…
  </p>
);
