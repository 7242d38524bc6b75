// The build turns style sheets into one file; importing them gives nothing.
declare module '*.css';
