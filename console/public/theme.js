// Before the first paint, so that a page that is to be dark is never light for a moment.
{
  const theme = localStorage.getItem('omoide-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}
