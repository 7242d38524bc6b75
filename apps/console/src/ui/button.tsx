import type { ButtonHTMLAttributes } from 'react';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Default: plain. */
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** Why it cannot be used now. The button stays focusable, so that the reason can be read. Default: it can. */
  readonly disabledReason?: string | undefined;
}

export function Button({ kind = 'plain', disabledReason, onClick, className = '', ...rest }: ButtonProps) {
  const isDisabled = disabledReason !== undefined;
  return (
    <button
      type="button"
      className={`button button-${kind} ${className}`}
      {...rest}
      {...(isDisabled ? { 'aria-disabled': true, title: disabledReason } : { onClick })}
    />
  );
}
