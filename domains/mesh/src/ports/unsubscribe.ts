/** Ends what it stands for. Calling it again does nothing. */
export type Unsubscribe = () => void;
